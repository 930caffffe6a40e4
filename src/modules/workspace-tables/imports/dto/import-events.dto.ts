import { EventType } from '../../../events/event-type.decorator.js';
import { ImportDto } from './imports.dto.js';

class ImportEventDto {
  /** The import as it is when the event is read or delivered. */
  import: ImportDto;
}

@EventType('import.succeeded', 'An import stored its rows.', 'read:workspaces')
export class ImportSucceededDto extends ImportEventDto {}

@EventType('import.proposed', 'The changes of an import wait for approval. Nothing was stored.', 'read:workspaces')
export class ImportProposedDto extends ImportEventDto {}

@EventType('import.failed', 'An import failed. Nothing was stored.', 'read:workspaces')
export class ImportFailedDto extends ImportEventDto {}

@EventType('import.cancelled', 'An import was cancelled. Nothing was stored.', 'read:workspaces')
export class ImportCancelledDto extends ImportEventDto {}
