/** The settings are invalid. `errors` contains one line per error, which begins with the name of the setting. */
export class EnvironmentError extends Error {
  constructor(readonly errors: string[]) {
    super(errors.join('\n'));
  }
}
