import { EventType, EXAMPLE_TIME } from '../../events/event-type.decorator.js';
import { StagingDto } from './virtual-staging.dto.js';

class VirtualStagingEventDto {
  virtualStaging: StagingDto;
}

@EventType(
  'virtual_staging.queued',
  'A virtual staging waits for a renderer, for the first time or again.',
  'read:tours',
  { sample: { virtualStaging: { progress: 0, variations: [], attempts: 0 } } },
)
export class VirtualStagingQueuedDto extends VirtualStagingEventDto {}

const COMPLETED = { startedAt: EXAMPLE_TIME, completedAt: EXAMPLE_TIME };

@EventType('virtual_staging.completed', 'A renderer completed a virtual staging.', 'read:tours', {
  sample: { virtualStaging: { ...COMPLETED, status: 'succeeded', progress: 100 } },
})
export class VirtualStagingCompletedDto extends VirtualStagingEventDto {}

@EventType('virtual_staging.failed', 'A virtual staging failed.', 'read:tours', {
  sample: { virtualStaging: { ...COMPLETED, status: 'failed', variations: [], error: 'The image is too dark.' } },
})
export class VirtualStagingFailedDto extends VirtualStagingEventDto {}

@EventType('virtual_staging.cancelled', 'A virtual staging was cancelled.', 'read:tours', {
  sample: {
    virtualStaging: { status: 'cancelled', progress: 0, variations: [], attempts: 0, completedAt: EXAMPLE_TIME },
  },
})
export class VirtualStagingCancelledDto extends VirtualStagingEventDto {}
