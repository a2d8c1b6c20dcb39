#!/usr/bin/python3
"""What one filter over a Redis Cluster costs its servers: nanoseconds of their main threads a key, and of moving a
shard; and which keys are gone after a master died whose replica had stopped. Three masters and three replicas on this machine, so that what passes between hosts is not in it, nor how
fast many are together.

    ./test -R redis_cluster                    # builds the tool and the module
    bench/redis_scale.py [KEYS]                # 10,000,000 unless told
"""
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "test"
os.environ.setdefault("BLOOMERY", str(BUILD / "src" / "cli" / "bloomery"))
os.environ.setdefault("BLOOMERY_SOURCE", str(ROOT))
os.environ.setdefault("BLOOMERY_BUILD", str(BUILD))
sys.path.insert(0, str(ROOT / "tests"))
from redis_cluster import Cluster, Failure  # noqa: E402

TOOL = os.environ["BLOOMERY"]


def spent(nodes):
    """By their main threads so far, in nanoseconds."""
    return sum(int(pathlib.Path(f"/proc/{node.process.pid}/schedstat").read_text().split()[0]) for node in nodes)


def cost_of(cluster, keys, *arguments):
    """Of masters and replicas, a key."""
    before = spent(cluster.masters), spent(cluster.replicas)
    with subprocess.Popen(["seq", str(keys)], stdout=subprocess.PIPE) as source:
        subprocess.run([TOOL, *arguments], stdin=source.stdout, stdout=subprocess.DEVNULL, check=True)
    return (spent(cluster.masters) - before[0]) / keys, (spent(cluster.replicas) - before[1]) / keys


def cost_of_moving(cluster, mebibytes):
    """Of both servers, in milliseconds."""
    for owner in cluster.masters:
        try:
            owner.ask("BLOOM.CREATE", "large", "standard", "SET", "bits", mebibytes << 23, "SET", "hashes", 7)
            break
        except Failure:
            continue  # not its slot
    target = next(node for node in cluster.masters if node is not owner)
    before = spent([owner]), spent([target])
    cluster.move_slot(cluster.slot_of("large"), owner, target)
    told = (spent([owner]) - before[0]) / 1e6, (spent([target]) - before[1]) / 1e6
    target.ask("DEL", "large")
    cluster.move_slot(cluster.slot_of("large"), target, owner)
    return told


def lost(keys, *options):
    """Of the keys that count as taken, those that are gone; and how many those are."""
    cluster = Cluster()
    try:
        subprocess.run([TOOL, "build", "--kind", "blocked", "--keys", str(keys), "--shards", "12", "-o", cluster.at("f")],
                       stdin=subprocess.DEVNULL, check=True)
        master, heir = cluster.masters[0], cluster.replicas[0]
        with subprocess.Popen(["seq", str(keys)], stdout=subprocess.PIPE) as source, subprocess.Popen(
                [TOOL, "add", *options, cluster.at("f", 1)], stdin=source.stdout, stderr=subprocess.PIPE, text=True) as tool:
            source.stdout.close()
            time.sleep(0.3)  # some keys come before
            heir.pause()
            said = tool.communicate()[1]
        taken = int(re.search(r"the first ([0-9,]+) keys", said)[1].replace(",", "")) if tool.returncode else keys
        master.kill()
        heir.resume()
        Cluster.until(lambda: heir.ask("CLUSTER", "FAILOVER", "TAKEOVER") == "OK")
        Cluster.until(lambda: all(b"cluster_state:ok" in node.ask("CLUSTER", "INFO")
                                  for node in [heir, *cluster.masters[1:]]))
        with subprocess.Popen(["seq", str(taken)], stdout=subprocess.PIPE) as source:
            there = subprocess.run([TOOL, "query", "-c", cluster.at("f", 1)], stdin=source.stdout, stdout=subprocess.PIPE,
                                   text=True).stdout
        return taken - int(there), taken
    finally:
        cluster.stop()


def main():
    keys = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    cluster = Cluster()
    try:
        print(f"{keys:,} keys in 48 shards; nanoseconds a key")
        print(f"{'kind':10}{'add':>8}{'replica':>9}{'query':>8}")
        for kind in ("blocked", "standard"):
            subprocess.run([TOOL, "build", "--kind", kind, "--keys", str(keys), "--shards", "48", "-o",
                            cluster.at(kind)], stdin=subprocess.DEVNULL, check=True)
            added, replicated = cost_of(cluster, keys, "add", cluster.at(kind))
            asked, _ = cost_of(cluster, keys, "query", "-q", cluster.at(kind))
            print(f"{kind:10}{added:8.0f}{replicated:9.0f}{asked:8.0f}")
        for size in (16, 64, 128):
            here, there = cost_of_moving(cluster, size)
            print(f"moving a shard of {size} MiB: {here:.0f} ms on the server that has it, {there:.0f} ms on the other")
    finally:
        cluster.stop()
    for options in ([], ["--wait", "1", "--patience", "2s"]):
        gone, taken = lost(keys, *options)
        print(f"a replica stopped, and its master killed; {' '.join(options) or 'without --wait'}: "
              f"of {taken:,} keys taken {gone:,} are gone")


if __name__ == "__main__":
    main()
