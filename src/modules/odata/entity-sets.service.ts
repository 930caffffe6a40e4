import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { TableDefinitionsService } from '../workspace-tables/query/table-definitions.service.js';
import { describeEntitySet, type EntitySet } from './edm.js';
import type { FindSet } from './filter-translation.js';
import { parseSetName } from './identifiers.js';

/** An entity set, and what its navigation properties lead to. */
export interface FoundSet {
  set: EntitySet;
  findSet: FindSet;
}

/** The entity sets of a workspace that the caller may read. */
@Injectable()
export class EntitySetsService {
  constructor(private readonly definitions: TableDefinitionsService) {}

  async list(workspaceId: string): Promise<EntitySet[]> {
    const tables = await this.definitions.list(workspaceId);
    return tables.map((table) => describeEntitySet(table, tables));
  }

  /**
   * @param withNavigation are navigation properties used? The other tables are read only then.
   * @throws {NotFoundError}
   */
  async get(workspaceId: string, name: string, withNavigation: boolean): Promise<FoundSet> {
    const named = parseSetName(name);
    const table = named && (await this.definitions.find(workspaceId, named.entity, named.table));
    const tables = table && withNavigation ? await this.definitions.list(workspaceId) : [];
    const set = table && describeEntitySet(tables.find(({ id }) => id === table.id) ?? table, tables);
    // A name in another letter case is another identifier.
    if (set?.name !== name) throw new NotFoundError('The entity set', undefined, '/$metadata lists them.');
    const findSet: FindSet = (from, navigation) => {
      const target = from.navigation.find((each) => each.name === navigation)?.target;
      return target && describeEntitySet(target, tables);
    };
    return { set, findSet };
  }
}
