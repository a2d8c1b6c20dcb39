// What a program does that uses RedisBloom by the client `redis` of npm, unchanged. Prints the answers as JSON.
import { createClient, RESP_TYPES } from "redis";

const [path, version] = process.argv.slice(2);
const client = createClient({ RESP: Number(version), socket: { path } });
await client.connect();
await client.flushAll();

const told = {};
await client.bf.reserve("b", 0.01, 1000, { EXPANSION: 4 });
told.bf = [
  await client.bf.add("b", "x"), await client.bf.add("b", "x"), await client.bf.exists("b", "x"),
  await client.bf.mAdd("b", ["x", "y", "z"]), await client.bf.mExists("b", ["y", "none"]),
  await client.bf.insert("b2", ["p", "q"], { CAPACITY: 10, ERROR: 0.1, NONSCALING: true }),
  await client.bf.card("b"), await client.bf.info("b"), await client.bf.info("b2"),
];
const bytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
const { iterator, chunk } = await bytes.bf.scanDump("b", 0);
await client.bf.loadChunk("b3", iterator, chunk);
told.loaded = (await client.bf.info("b3"))["Capacity"];

await client.cf.reserve("c", 1000, { BUCKETSIZE: 4, MAXITERATIONS: 10, EXPANSION: 2 });
told.cf = [
  await client.cf.add("c", "x"), await client.cf.addNX("c", "x"), await client.cf.exists("c", "x"),
  await client.cf.count("c", "x"), await client.cf.del("c", "x"), await client.cf.del("c", "x"),
  await client.cf.insert("c", ["p", "q"]), await client.cf.insertNX("c", ["p", "r"]),
  await client.cf.info("c"),
];

await client.cms.initByDim("s", 1000, 5);
await client.cms.initByDim("s2", 1000, 5);
told.cms = [
  await client.cms.incrBy("s", [{ item: "x", incrementBy: 5 }, { item: "y", incrementBy: 7 }]),
  await client.cms.query("s", ["x", "z"]), await client.cms.merge("s2", [{ name: "s", weight: 2 }]),
  await client.cms.query("s2", ["y"]), await client.cms.info("s2"),
];

await client.topK.reserve("t", 2, { width: 50, depth: 4, decay: 0.9 });
told.topk = [
  await client.topK.add("t", ["x", "y", "y"]), await client.topK.incrBy("t", [{ item: "z", incrementBy: 9 }]),
  await client.topK.query("t", ["x", "y"]), await client.topK.list("t"), await client.topK.listWithCount("t"),
  await client.topK.info("t"),
];
console.log(JSON.stringify(told));
client.destroy();
