/** The SQLSTATE codes that the service handles. */
export const SQLSTATE = {
  serializationFailure: '40001',
  deadlock: '40P01',
  /** Free space of the disk, or a quota of it. */
  diskFull: '53100',
  objectInUse: '55006',
  lockNotAvailable: '55P03',
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
  readOnlyTransaction: '25006',
  queryCanceled: '57014',
  undefinedTable: '42P01',
  undefinedColumn: '42703',
  invalidParameterValue: '22023',
  invalidRegularExpression: '2201B',
  /** The character U+0000, which PostgreSQL cannot store: in a text, in a JSON document. */
  characterNotInRepertoire: '22021',
  untranslatableCharacter: '22P05',
} as const;

/** The SQLSTATE of a failed statement, or the code of a system error; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  const { code } = driverError(error);
  return typeof code === 'string' ? code : undefined;
}

/** A handler for `catch`: replaces the error of a statement that failed with this SQLSTATE. */
export function translateSqlState(state: string, toError: (cause: unknown) => Error): (error: unknown) => never {
  return (error) => {
    throw sqlState(error) === state ? toError(error) : error;
  };
}

/** The error of the driver, without the one in which TypeORM wraps it. */
export function driverError(error: unknown): { code?: unknown; severity?: unknown } {
  const { driverError: wrapped = error } = (error ?? {}) as { driverError?: unknown };
  return (wrapped as object | null) ?? {};
}
