import { escapeLiteral } from 'pg';
import { quoteLiteral } from './sql-literal.js';

describe('a literal', () => {
  it.each(['', 'Pump', "O'Neill''s", 'C:\\temp\\', "\\'", 'Über\n'])('quotes %j as node-postgres does', (text) =>
    expect(quoteLiteral(text)).toBe(escapeLiteral(text)),
  );

  it('may have megabytes', () => expect(quoteLiteral("a'".repeat(1_000_000))).toHaveLength(3_000_002));
});
