"""Servers that are killed while they rewrite their file of commands or save, with `appendfsync always`: whatever was
acknowledged is there again, of compatible and native values alike."""
import os
import random
import signal
import unittest

from redis_servers import WHY_NOT, Server

ROUNDS = 20 if os.environ.get("BLOOMERY_FULL") else 3
BATCH = 150
OPTIONS = ["--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"]


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Killed(unittest.TestCase):
    def commands(self, word):
        """And whether each answer says what it should."""
        return [(("BF.ADD", "bloom", word), lambda told: told in (0, 1)),
                (("CF.ADD", "cuckoo", word), lambda told: told == 1),
                (("CMS.INCRBY", "sketch", word, 3), lambda told: told[0] >= 3),
                (("TOPK.ADD", "top", "leader", word), lambda told: len(told) == 2),
                (("BLOOM.ADD", "native", word), lambda told: len(told) == 1),
                (("BLOOM.ADD", "window", word), lambda told: len(told) == 1)]

    def test_what_was_acknowledged_is_there_again(self):
        server = Server(*OPTIONS)
        self.addCleanup(server.end)
        one = server.raw()
        one("CMS.INITBYDIM", "sketch", 5000, 5)
        one("TOPK.RESERVE", "top", 3, 5000, 5, 0.9)
        one("BLOOM.CREATE", "native", "counting", "KEYS", 10_000)
        one("BLOOM.CREATE", "window", "age-partitioned", "KEYS", 10_000, "WINDOW", "24h")
        one("BF.RESERVE", "large", 0.01, 10**6)  # so that rewriting takes some time
        chance = random.Random(17)
        taken = []
        for round_ in range(ROUNDS):
            one("CONFIG", "SET", "aof-use-rdb-preamble", "no" if round_ % 2 else "yes")
            words = [f"round {round_} key {i}" for i in range(BATCH)]
            begun, read = chance.randrange(BATCH), chance.randrange(20, BATCH)
            for i, word in enumerate(words):
                if i == begun:
                    one.send("BGSAVE" if round_ % 3 == 2 else "BGREWRITEAOF")
                for command, _ in self.commands(word):
                    one.send(*command)
            for i, word in enumerate(words[:read]):
                if i == begun:
                    self.assertIn("Background", str(one.read()))
                for command, sound in self.commands(word):
                    self.assertTrue(sound(one.read()), command)
                taken.append(word)
            server.process.send_signal(signal.SIGKILL)
            one.close()
            server.restart(*OPTIONS)
            one = server.raw()
            many = [1] * len(taken)
            self.assertEqual(one("BF.MEXISTS", "bloom", *taken), many)
            self.assertEqual(one("CF.MEXISTS", "cuckoo", *taken), many)
            self.assertEqual(one("BLOOM.HAS", "native", *taken), many)
            self.assertEqual(one("BLOOM.HAS", "window", *taken), many)
            self.assertTrue(all(count >= 3 for count in one("CMS.QUERY", "sketch", *taken)))
            self.assertGreaterEqual(one("TOPK.COUNT", "top", "leader")[0], len(taken))
        one.close()


if __name__ == "__main__":
    unittest.main()
