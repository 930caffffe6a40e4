import { EventType } from '../../events/event-type.decorator.js';
import { TourDto } from './tour.dto.js';

class TourEventDto {
  tour: TourDto;
}

@EventType('tour.created', 'A tour was created.')
export class TourCreatedDto extends TourEventDto {}

@EventType('tour.updated', 'A tour changed.')
export class TourUpdatedDto extends TourEventDto {}

@EventType('tour.archived', 'A tour was archived.')
export class TourArchivedDto extends TourEventDto {}

@EventType('tour.restored', 'A tour was restored.')
export class TourRestoredDto extends TourEventDto {}

/** By change. */
export const TOUR_EVENTS = {
  created: TourCreatedDto,
  updated: TourUpdatedDto,
  archived: TourArchivedDto,
  restored: TourRestoredDto,
};
