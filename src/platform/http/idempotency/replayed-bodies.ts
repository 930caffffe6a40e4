import { Injectable } from '@nestjs/common';

type Renewal = (body: string) => string;

/**
 * Renews what has expired in a stored body before it is sent again. Modules whose responses contain such values
 * register.
 */
@Injectable()
export class ReplayedBodies {
  private readonly renewals: Renewal[] = [];

  register(renewal: Renewal): void {
    this.renewals.push(renewal);
  }

  renew(body: string): string {
    return this.renewals.reduce((current, renewal) => renewal(current), body);
  }
}
