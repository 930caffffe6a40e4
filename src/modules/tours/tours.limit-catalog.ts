import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import { MAX_KEYWORDS } from './dto/tag.dto.js';
import { MAX_FLOORS, MAX_SCENES } from './dto/tour.dto.js';

export const TOUR_LIMITS: LimitCatalog = {
  title: 'Tours',
  order: 3.1,
  limits: [
    { name: 'Floors of a tour', value: formatCount(MAX_FLOORS, 'floors'), code: 'invalid_field' },
    { name: 'Scenes of a tour', value: formatCount(MAX_SCENES, 'scenes'), code: 'invalid_field' },
    { name: 'Keywords of a tag', value: formatCount(MAX_KEYWORDS, 'keywords'), code: 'invalid_field' },
  ],
};
