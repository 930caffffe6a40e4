import { Global, Module } from '@nestjs/common';
import { OverloadGate } from './overload-gate.js';

/** Protects the instance from more requests than it can answer in time. */
@Global()
@Module({
  providers: [OverloadGate],
  exports: [OverloadGate],
})
export class OverloadModule {}
