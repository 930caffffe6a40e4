const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Bytes of a body on routes without a limit of their own, and of all fields of a form together, which are in memory.
 */
export const MAX_BODY_BYTES = MIB;

/** Bytes of the body of a bulk request, which is parsed at once. Imports take larger files. */
export const MAX_BULK_BYTES = 16 * MIB;

/**
 * Bytes of a body with credentials. Anonymous callers may open bodies on these routes, so each may use only a small
 * part of the memory for bodies.
 */
export const MAX_CREDENTIALS_BYTES = 16 * KIB;

/** Files of a note or message (specification, section 8). */
export const MAX_FILES = 10;

/** Bytes of a file (specification, section 8). */
export const MAX_FILE_BYTES = 20 * MIB;

/** Bytes of a JSON body with files (specification, section 8). Base64 increases the size of a file by a third. */
export const MAX_JSON_WITH_FILES_BYTES = 20 * MIB;

/** Bytes of a form: its files, its fields, and boundaries and headers of parts. */
export const MAX_FORM_BYTES = MAX_FILES * MAX_FILE_BYTES + MAX_BODY_BYTES + MIB;
