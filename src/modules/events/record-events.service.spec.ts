import type { ArchivableRecord } from '../../records/archivable-record.js';
import type { ArchivableRecordService } from '../../records/archivable-record.service.js';
import { EventsService } from './events.service.js';
import { EventType } from './event-type.decorator.js';
import { RecordEventsService } from './record-events.service.js';

@EventType('hidden_record.created', 'A record was created.', 'read:workspaces')
class HiddenRecordDto {}

@EventType('shown_record.created', 'A record was created.', 'read:workspaces')
class ShownRecordDto {}

const records = { onChange: () => undefined } as unknown as ArchivableRecordService<ArchivableRecord, { id: string }>;

it('hides the events of records from callers with an access policy by default', () => {
  const events = Object.assign(Object.create(EventsService.prototype) as EventsService, {
    restrictions: new Map(),
    completions: new Map(),
  });
  const service = new RecordEventsService(events);
  const all = (dto: typeof HiddenRecordDto) => ({ created: dto, updated: dto, archived: dto, restored: dto });
  service.register(records, 'record', all(HiddenRecordDto));
  service.register(records, 'record', all(ShownRecordDto), { withPolicies: true });
  expect([...events.restrictions.keys()]).toEqual(['shown_record.created']);
});
