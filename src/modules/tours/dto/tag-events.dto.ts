import { recordEventTypes } from '../../events/record-event-types.js';
import { TagDto } from './tag.dto.js';

class TagEventDto {
  tag: TagDto;
}

export const TAG_EVENTS = recordEventTypes(TagEventDto, 'tag', 'read:tours', { anchorPosition: {} });
