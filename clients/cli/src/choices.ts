/** Values that flags, configurations and mappings accept. */
export const ENTITIES = ['location', 'asset', 'list'] as const;
export const DECIMALS = ['.', ','] as const;
export const THOUSANDS = ['.', ',', ' ', "'"] as const;
/** Which of several rows with the same key is stored; none with `error`. */
export const DUPLICATE_RULES = ['error', 'first', 'last'] as const;
export type DuplicateRule = (typeof DUPLICATE_RULES)[number];
/** Formats of files that can be imported. */
export const FILE_KINDS = ['csv', 'ndjson', 'xlsx', 'fixed', 'sap-list'] as const;
export type FileKind = (typeof FILE_KINDS)[number];
