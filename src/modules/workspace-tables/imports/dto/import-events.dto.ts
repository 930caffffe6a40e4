import { EventType, EXAMPLE_TIME } from '../../../events/event-type.decorator.js';
import { ImportDto } from './imports.dto.js';

class ImportEventDto {
  /** The import as it is when the event is read or delivered. */
  import: ImportDto;
}

@EventType('import.succeeded', 'An import stored its rows.', 'read:workspaces', {
  sample: { import: { finishedAt: EXAMPLE_TIME, status: 'succeeded', rowsFailed: 0 } },
})
export class ImportSucceededDto extends ImportEventDto {}

@EventType('import.proposed', 'The changes of an import wait for approval. Nothing was stored.', 'read:workspaces', {
  sample: { import: { finishedAt: EXAMPLE_TIME, status: 'proposed', rowsWritten: 0, rowsFailed: 0 } },
})
export class ImportProposedDto extends ImportEventDto {}

@EventType('import.failed', 'An import failed. Nothing was stored.', 'read:workspaces', {
  sample: {
    import: { finishedAt: EXAMPLE_TIME, status: 'failed', rowsWritten: 0, rowsRead: 5_000, rowsFailed: 3, error: {} },
  },
})
export class ImportFailedDto extends ImportEventDto {}

@EventType('import.cancelled', 'An import was cancelled. Nothing was stored.', 'read:workspaces', {
  sample: { import: { finishedAt: EXAMPLE_TIME, status: 'cancelled', rowsWritten: 0, rowsFailed: 0 } },
})
export class ImportCancelledDto extends ImportEventDto {}
