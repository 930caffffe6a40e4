import { Injectable, type OnModuleInit } from '@nestjs/common';
import { quoteLiteral } from '../../../packages/sql/src/sql-literal.js';
import { type CatalogTable, describeRelation } from '../../../packages/tables/src/catalog/catalog-table.js';
import { physicalKeyName, withSelectedRows } from '../../../packages/tables/src/catalog/physical-table.js';
import { ReferenceLookup } from '../../../packages/tables/src/catalog/reference-targets.js';
import { wholeView } from '../../../packages/tables/src/catalog/view.js';
import { callerMay } from '../../platform/security/caller-policies.js';
import { RowTitlesService, type TagTitleDto } from '../workspace-tables/query/row-titles.service.js';
import { TagsService } from './tags.service.js';

/** Tags as the values of `locationTag` columns: what `expand` returns, and which values name no tag. */
@Injectable()
export class TagCells implements OnModuleInit {
  constructor(
    private readonly tags: TagsService,
    private readonly titles: RowTitlesService,
    private readonly lookup: ReferenceLookup,
  ) {}

  onModuleInit(): void {
    this.titles.register('locationTag', (workspaceId, values) => this.findTitles(workspaceId, values));
    this.lookup.register('locationTag', describeTags);
  }

  private async findTitles(workspaceId: string, values: readonly string[]): Promise<Map<string, TagTitleDto>> {
    if (!callerMay(workspaceId, 'read:tours')) return new Map();
    const tags = await this.tags.findTitles(workspaceId, values);
    return new Map(
      tags.map(({ id, label, tourId, anchorPosition }) => [
        String(id),
        { id, label, tourId, position: anchorPosition },
      ]),
    );
  }
}

/** The IDs of all tags of the workspace as texts, and the empty text: it is an empty value, so it is not missing. */
function describeTags(workspaceId: string): CatalogTable {
  const id = { key: 'id', type: 'text', options: {}, primaryKey: true } as const;
  const table = describeRelation(wholeView(workspaceId), 'tags', [id]);
  const ids = `SELECT id::text FROM tags WHERE workspace_id = ${quoteLiteral(workspaceId)}`;
  return withSelectedRows(table, `(SELECT '' AS ${physicalKeyName(table)} UNION ALL ${ids})`);
}
