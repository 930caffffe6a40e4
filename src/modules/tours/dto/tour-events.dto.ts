import { recordEventTypes } from '../../events/record-event-types.js';
import { TourDto } from './tour.dto.js';

class TourEventDto {
  tour: TourDto;
}

export const TOUR_EVENTS = recordEventTypes(TourEventDto, 'tour', 'read:tours');
