import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import { MAX_EVENTS, MAX_WAIT_S } from './dto/events.dto.js';

export const EVENT_LIMITS: LimitCatalog = {
  title: 'Events',
  order: 6,
  limits: [
    { name: 'Storage of an event', value: { setting: 'EVENT_RETENTION_DAYS' }, code: 'events_removed' },
    { name: 'Events of a page', value: formatCount(MAX_EVENTS, 'events'), code: 'invalid_field' },
    { name: 'Parameter `wait`', value: formatCount(MAX_WAIT_S, 'seconds'), code: 'invalid_field' },
    { name: 'Waiting readers of an instance', value: { setting: 'EVENTS_MAX_WAITING' }, code: 'too_many_waiting' },
  ],
};
