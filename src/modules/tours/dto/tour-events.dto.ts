import { EventType, EXAMPLE_TIME } from '../../events/event-type.decorator.js';
import { TourDto } from './tour.dto.js';

class TourEventDto {
  tour: TourDto;
}

@EventType('tour.created', 'A tour was created.', 'read:tours')
export class TourCreatedDto extends TourEventDto {}

@EventType('tour.updated', 'A tour changed.', 'read:tours')
export class TourUpdatedDto extends TourEventDto {}

@EventType('tour.archived', 'A tour was archived.', 'read:tours', { sample: { tour: { archivedAt: EXAMPLE_TIME } } })
export class TourArchivedDto extends TourEventDto {}

@EventType('tour.restored', 'A tour was restored.', 'read:tours')
export class TourRestoredDto extends TourEventDto {}

/** The types of events by change. */
export const TOUR_EVENTS = {
  created: TourCreatedDto,
  updated: TourUpdatedDto,
  archived: TourArchivedDto,
  restored: TourRestoredDto,
};
