import { DefaultNamingStrategy } from 'typeorm';

/** `createdAt` is the column `created_at`: plain SQL on the tables needs no quotes. */
export class SnakeCaseNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }

  override uniqueConstraintName(table: string | { name: string }, columns: string[]): string {
    return `uq_${nameOf(table)}_${columns.join('_')}`;
  }
}

function nameOf(table: string | { name: string }): string {
  return (typeof table === 'string' ? table : table.name).replace(/^.*\./, '');
}
