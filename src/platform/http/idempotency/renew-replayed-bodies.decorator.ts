import { SetMetadata } from '@nestjs/common';

export const RENEW_REPLAYED_BODIES = Symbol('renewReplayedBodies');

/**
 * `ReplayedBodies` renews the stored responses of the controller. Only for controllers whose responses contain no
 * object that a caller chose: its values could have the form of what is renewed, and a caller would receive a signed
 * URL of another's file.
 */
export const RenewReplayedBodies = () => SetMetadata(RENEW_REPLAYED_BODIES, true);
