import { Injectable, type Type } from '@nestjs/common';
import type { ArchivableRecord, RecordChange } from '../../records/archivable-record.js';
import type { ArchivableRecordService } from '../../records/archivable-record.service.js';
import { EventsService } from './events.service.js';

/** What the log stores of a record: the rest is read when the event is read (ADR 0061). */
interface RecordReference {
  id: string | number;
}

export interface RecordEventsOptions {
  /**
   * Do callers with an access policy read the events, too? Only for records whose routes have `@ObeysPolicies()`, which
   * policies restrict by scopes only.
   */
  withPolicies?: boolean;
}

/** Records the changes of records that extend `ArchivableRecord`, each as an event with the record in `data`. */
@Injectable()
export class RecordEventsService {
  constructor(private readonly events: EventsService) {}

  /** @param field the name of the record in `data`. @param types the class with `@EventType()` of each change. */
  register<T extends ArchivableRecord>(
    records: ArchivableRecordService<T, RecordReference>,
    field: string,
    types: Record<RecordChange, Type>,
    options?: RecordEventsOptions,
  ): void {
    this.complete(records, field, Object.values(types), options);
    records.onChange((workspaceId, change, changed) => this.record(workspaceId, types[change], changed));
  }

  /** Completes the events of `types` when they are read; the module records them by `record`. */
  complete<T extends ArchivableRecord>(
    records: ArchivableRecordService<T, RecordReference>,
    field: string,
    types: readonly Type[],
    { withPolicies = false }: RecordEventsOptions = {},
  ): void {
    for (const dto of types) {
      if (withPolicies) this.events.restrict(dto);
      this.events.complete(dto, async (workspaceId, data) => {
        const references = data as readonly RecordReference[];
        const ids = [...new Set(references.map(({ id }) => id))];
        const { found, unread } = await records.readByIds(workspaceId, ids);
        const byId = new Map(found.map((record) => [record.id, record]));
        return references.map(({ id }) => (unread.has(id) ? undefined : { [field]: byId.get(id) ?? { id } }));
      });
    }
  }

  /** Records an event per record, in the open transaction. */
  record(workspaceId: string, dto: Type, records: readonly RecordReference[]): Promise<void> {
    const events = records.map(({ id }) => this.events.create(dto as Type<object>, { id }));
    return this.events.recordAll(workspaceId, events);
  }
}
