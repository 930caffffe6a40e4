import { KEY_TYPES } from './keyset.js';

describe('an instant of a cursor', () => {
  it.each(['2024-02-29T00:00:00.000Z', '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])('can be %s', (text) =>
    expect(KEY_TYPES.instant.isValid(text)).toBe(true),
  );

  // PostgreSQL rejects these.
  it.each(['2023-02-30T00:00:00.000Z', '0000-01-01T00:00:00.000Z', '2024-01-01T25:00:00.000Z', '2024-01-01', 1, null])(
    'cannot be %j',
    (value) => expect(KEY_TYPES.instant.isValid(value)).toBe(false),
  );
});
