import { EventType } from '../../events/event-type.decorator.js';
import { StagingDto } from './virtual-staging.dto.js';

class VirtualStagingEventDto {
  virtualStaging: StagingDto;
}

@EventType('virtual_staging.queued', 'A virtual staging waits for a renderer, for the first time or again.')
export class VirtualStagingQueuedDto extends VirtualStagingEventDto {}

@EventType('virtual_staging.completed', 'A renderer completed a virtual staging.')
export class VirtualStagingCompletedDto extends VirtualStagingEventDto {}

@EventType('virtual_staging.failed', 'A virtual staging failed.')
export class VirtualStagingFailedDto extends VirtualStagingEventDto {}

@EventType('virtual_staging.cancelled', 'A virtual staging was cancelled.')
export class VirtualStagingCancelledDto extends VirtualStagingEventDto {}
