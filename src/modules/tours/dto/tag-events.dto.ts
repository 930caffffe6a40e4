import { EventType } from '../../events/event-type.decorator.js';
import { TagDto } from './tag.dto.js';

class TagEventDto {
  tag: TagDto;
}

@EventType('tag.created', 'A tag was created.', 'read:tours')
export class TagCreatedDto extends TagEventDto {}

@EventType('tag.updated', 'A tag changed.', 'read:tours')
export class TagUpdatedDto extends TagEventDto {}

@EventType('tag.archived', 'A tag was archived.', 'read:tours')
export class TagArchivedDto extends TagEventDto {}

@EventType('tag.restored', 'A tag was restored.', 'read:tours')
export class TagRestoredDto extends TagEventDto {}

/** By change. */
export const TAG_EVENTS = {
  created: TagCreatedDto,
  updated: TagUpdatedDto,
  archived: TagArchivedDto,
  restored: TagRestoredDto,
};
