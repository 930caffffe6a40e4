import { EventType, EXAMPLE_TIME } from '../../events/event-type.decorator.js';
import { TagDto } from './tag.dto.js';

class TagEventDto {
  tag: TagDto;
}

const TAG_IN_TOUR = { anchorPosition: {} };

@EventType('tag.created', 'A tag was created.', 'read:tours', { sample: { tag: TAG_IN_TOUR } })
export class TagCreatedDto extends TagEventDto {}

@EventType('tag.updated', 'A tag changed.', 'read:tours', { sample: { tag: TAG_IN_TOUR } })
export class TagUpdatedDto extends TagEventDto {}

@EventType('tag.archived', 'A tag was archived.', 'read:tours', {
  sample: { tag: { ...TAG_IN_TOUR, archivedAt: EXAMPLE_TIME } },
})
export class TagArchivedDto extends TagEventDto {}

@EventType('tag.restored', 'A tag was restored.', 'read:tours', { sample: { tag: TAG_IN_TOUR } })
export class TagRestoredDto extends TagEventDto {}

/** The types of events by change. */
export const TAG_EVENTS = {
  created: TagCreatedDto,
  updated: TagUpdatedDto,
  archived: TagArchivedDto,
  restored: TagRestoredDto,
};
