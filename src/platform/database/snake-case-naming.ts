import { DefaultNamingStrategy } from 'typeorm';

/** Maps `createdAt` to the column `created_at`, so that SQL needs no quotes. */
export class SnakeCaseNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }

  override uniqueConstraintName(table: string | { name: string }, columns: string[]): string {
    return `uq_${unqualify(table)}_${columns.join('_')}`;
  }
}

function unqualify(table: string | { name: string }): string {
  return (typeof table === 'string' ? table : table.name).replace(/^.*\./, '');
}
