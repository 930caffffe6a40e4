/** Characters of the searched text. */
export const MAX_QUERY_LENGTH = 200;

/** Words of the searched text. */
export const MAX_QUERY_WORDS = 10;

/** Hits of each kind. */
export const MAX_HITS = 50;
export const DEFAULT_HITS = 10;

/** Tables that a request can name. */
export const MAX_SEARCHED_TABLES = 50;

/** Duration of each statement of a search, in seconds. */
export const MAX_SEARCH_S = 15;

/** Characters of a value that are indexed and searched. */
export const MAX_FIELD_LENGTH = 100_000;

/** Different words of a row, record or message that are indexed, and their bytes: PostgreSQL limits a `tsvector`. */
export const MAX_ENTRY_WORDS = 5_000;
export const MAX_ENTRY_BYTES = 500_000;

/** Characters of the text that a hit shows of each value, and the number of values. */
export const MAX_EXCERPT = 200;
export const MAX_MATCHES = 5;
