import { EnvironmentError, parseEnvironment } from './environment.js';

function errorsOf(environment: Record<string, string>): string[] {
  try {
    parseEnvironment(environment);
    return [];
  } catch (error) {
    return (error as EnvironmentError).errors;
  }
}

describe('the environment', () => {
  it.each(['65536', '80.5', 'true', '0'])('rejects the port %j', (PORT) => {
    expect(errorsOf({ PORT })).toEqual([expect.stringMatching(/^PORT: /)]);
  });

  it.each(['1', '65535'])('accepts the port %j', (PORT) => {
    expect(errorsOf({ PORT })).toEqual([]);
  });
});
