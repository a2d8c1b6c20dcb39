\echo Use "CREATE EXTENSION bloomery" to load this file. \quit

CREATE TYPE bloomery;

CREATE FUNCTION bloomery_in(cstring) RETURNS bloomery
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bloomery_out(bloomery) RETURNS cstring
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bloomery_recv(internal) RETURNS bloomery
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bloomery_send(bloomery) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

-- The bits of a filter do not compress.
CREATE TYPE bloomery (
  INPUT = bloomery_in, OUTPUT = bloomery_out, RECEIVE = bloomery_recv, SEND = bloomery_send,
  INTERNALLENGTH = VARIABLE, STORAGE = external
);
COMMENT ON TYPE bloomery IS 'a filter in its stored form, checked';

CREATE FUNCTION bloomery(bytea) RETURNS bloomery
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_from_bytea';
CREATE FUNCTION bytea(bloomery) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_to_bytea';
CREATE CAST (bytea AS bloomery) WITH FUNCTION bloomery(bytea);
CREATE CAST (bloomery AS bytea) WITH FUNCTION bytea(bloomery);

-- Asking. A column of another type has no function here, since its equal values may look different.

CREATE FUNCTION bloomery_has(filter bloomery, key text) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_has_text';
CREATE FUNCTION bloomery_has(filter bloomery, key bytea) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_has_bytea';
CREATE FUNCTION bloomery_has(filter bloomery, key bigint) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_has_bigint';
CREATE FUNCTION bloomery_has(filter bloomery, key uuid) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_has_uuid';

CREATE FUNCTION bloomery_estimate(filter bloomery, OUT value double precision,
                                  OUT low double precision, OUT high double precision)
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bloomery_rate(filter bloomery) RETURNS double precision
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bloomery_info(filter bloomery) RETURNS jsonb
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bloomery_merge(a bloomery, b bloomery) RETURNS bloomery
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

-- Building, in parts that parallel workers hand on.

CREATE FUNCTION bloomery_combine(internal, internal) RETURNS internal
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bloomery_serialize(internal) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bloomery_deserialize(bytea, internal) RETURNS internal
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bloomery_final(internal) RETURNS bloomery
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';

CREATE FUNCTION bloomery_union_add(internal, bloomery) RETURNS internal
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE AGGREGATE bloomery_union(bloomery) (
  SFUNC = bloomery_union_add, STYPE = internal, FINALFUNC = bloomery_final,
  COMBINEFUNC = bloomery_combine, SERIALFUNC = bloomery_serialize,
  DESERIALFUNC = bloomery_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION bloomery_add(internal, text, bigint, double precision) RETURNS internal
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_add_text';
CREATE FUNCTION bloomery_add(internal, text, bigint, double precision, text) RETURNS internal
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_add_text';
CREATE AGGREGATE bloomery_agg(value text, keys bigint, rate double precision) (
  SFUNC = bloomery_add, STYPE = internal, FINALFUNC = bloomery_final,
  COMBINEFUNC = bloomery_combine, SERIALFUNC = bloomery_serialize,
  DESERIALFUNC = bloomery_deserialize, PARALLEL = SAFE
);
CREATE AGGREGATE bloomery_agg(value text, keys bigint, rate double precision, kind text) (
  SFUNC = bloomery_add, STYPE = internal, FINALFUNC = bloomery_final,
  COMBINEFUNC = bloomery_combine, SERIALFUNC = bloomery_serialize,
  DESERIALFUNC = bloomery_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION bloomery_add(internal, bytea, bigint, double precision) RETURNS internal
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_add_bytea';
CREATE FUNCTION bloomery_add(internal, bytea, bigint, double precision, text) RETURNS internal
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_add_bytea';
CREATE AGGREGATE bloomery_agg(value bytea, keys bigint, rate double precision) (
  SFUNC = bloomery_add, STYPE = internal, FINALFUNC = bloomery_final,
  COMBINEFUNC = bloomery_combine, SERIALFUNC = bloomery_serialize,
  DESERIALFUNC = bloomery_deserialize, PARALLEL = SAFE
);
CREATE AGGREGATE bloomery_agg(value bytea, keys bigint, rate double precision, kind text) (
  SFUNC = bloomery_add, STYPE = internal, FINALFUNC = bloomery_final,
  COMBINEFUNC = bloomery_combine, SERIALFUNC = bloomery_serialize,
  DESERIALFUNC = bloomery_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION bloomery_add(internal, bigint, bigint, double precision) RETURNS internal
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_add_bigint';
CREATE FUNCTION bloomery_add(internal, bigint, bigint, double precision, text) RETURNS internal
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_add_bigint';
CREATE AGGREGATE bloomery_agg(value bigint, keys bigint, rate double precision) (
  SFUNC = bloomery_add, STYPE = internal, FINALFUNC = bloomery_final,
  COMBINEFUNC = bloomery_combine, SERIALFUNC = bloomery_serialize,
  DESERIALFUNC = bloomery_deserialize, PARALLEL = SAFE
);
CREATE AGGREGATE bloomery_agg(value bigint, keys bigint, rate double precision, kind text) (
  SFUNC = bloomery_add, STYPE = internal, FINALFUNC = bloomery_final,
  COMBINEFUNC = bloomery_combine, SERIALFUNC = bloomery_serialize,
  DESERIALFUNC = bloomery_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION bloomery_add(internal, uuid, bigint, double precision) RETURNS internal
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_add_uuid';
CREATE FUNCTION bloomery_add(internal, uuid, bigint, double precision, text) RETURNS internal
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloomery_add_uuid';
CREATE AGGREGATE bloomery_agg(value uuid, keys bigint, rate double precision) (
  SFUNC = bloomery_add, STYPE = internal, FINALFUNC = bloomery_final,
  COMBINEFUNC = bloomery_combine, SERIALFUNC = bloomery_serialize,
  DESERIALFUNC = bloomery_deserialize, PARALLEL = SAFE
);
CREATE AGGREGATE bloomery_agg(value uuid, keys bigint, rate double precision, kind text) (
  SFUNC = bloomery_add, STYPE = internal, FINALFUNC = bloomery_final,
  COMBINEFUNC = bloomery_combine, SERIALFUNC = bloomery_serialize,
  DESERIALFUNC = bloomery_deserialize, PARALLEL = SAFE
);
