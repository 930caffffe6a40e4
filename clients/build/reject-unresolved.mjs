/**
 * Handler of the log of rolldown. An import that cannot be resolved would fail only when it is executed.
 *
 * @throws Error
 */
export function rejectUnresolved(level, log, handle) {
  if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
  handle(level, log);
}
