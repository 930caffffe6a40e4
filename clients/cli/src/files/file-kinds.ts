/** Formats of files that can be imported. */
export const FILE_KINDS = ['csv', 'ndjson', 'xlsx', 'fixed', 'sap-list'] as const;
export type FileKind = (typeof FILE_KINDS)[number];
