import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Background work indexes everything again. Until then, searches use what the index contains, and are not current. */
const REBUILD: readonly string[] = [
  // In the order in which running instances lock them.
  'UPDATE search_indexes SET is_pending = true',
  'UPDATE search_positions SET changes_since = greatest(changes_since, revision), revision = -1, key = NULL',
];

/** The index contains codes without separators, numbers without zeros, and ends of words (ADR 0183). */
export class SearchForms1763700072000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of REBUILD) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of REBUILD) await runner.query(statement);
  }
}
