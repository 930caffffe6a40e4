import { EventType } from '../../events/event-type.decorator.js';
import { StagingDto } from './virtual-staging.dto.js';

class VirtualStagingEventDto {
  virtualStaging: StagingDto;
}

@EventType(
  'virtual_staging.queued',
  'A virtual staging waits for a renderer, for the first time or again.',
  'read:tours',
)
export class VirtualStagingQueuedDto extends VirtualStagingEventDto {}

@EventType('virtual_staging.completed', 'A renderer completed a virtual staging.', 'read:tours')
export class VirtualStagingCompletedDto extends VirtualStagingEventDto {}

@EventType('virtual_staging.failed', 'A virtual staging failed.', 'read:tours')
export class VirtualStagingFailedDto extends VirtualStagingEventDto {}

@EventType('virtual_staging.cancelled', 'A virtual staging was cancelled.', 'read:tours')
export class VirtualStagingCancelledDto extends VirtualStagingEventDto {}
