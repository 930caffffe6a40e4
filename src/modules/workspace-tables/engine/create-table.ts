import type { CatalogRepository, CatalogTable } from '../catalog/catalog.repository.js';
import { planColumns } from '../catalog/column-plan.js';
import type { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';
import { requireValidColumns, type TableInput } from './table-plan.js';

/**
 * Creates the table of a file before the file is read: its staging table is compared with an existing table.
 *
 * @returns undefined for `created` if another request has created it meanwhile.
 * @throws {InvalidTablesError}
 */
export async function createTable(
  catalog: CatalogRepository,
  physical: PhysicalTablesRepository,
  workspaceId: string,
  input: TableInput,
  maxColumns: number,
): Promise<{ found: CatalogTable; created: readonly string[] | undefined }> {
  const plan = planColumns([], input.columns ?? [], maxColumns, 0);
  requireValidColumns([{ input, columns: plan }]);
  const { table, created } = await catalog.lockOrCreate(workspaceId, input);
  if (!created) return { found: table, created: undefined };
  const columns = plan.columns;
  await catalog.addColumns({ ...table, columns }, plan.added);
  await physical.create({ ...table, columns }, columns);
  const found = (await catalog.findByIdOrName(workspaceId, input))!;
  return { found, created: plan.added.map(({ key }) => key) };
}
