import { createHash } from 'node:crypto';

const HASH_BYTES = 6;
const FIRST_SLOTS = 4_096;
const MAX_LOAD = 0.7;

/**
 * A set of hashes of texts with 48 bits, without the texts. A text that was added is always found, and another one
 * rarely: one of 280 million if the set has a million texts.
 */
export class HashSet {
  /** Open addressing; 0 is a free slot. */
  private slots = new Float64Array(FIRST_SLOTS);
  private size = 0;

  /** From 1 on. */
  static hash(text: string): number {
    return createHash('sha1').update(text).digest().readUIntLE(0, HASH_BYTES) + 1;
  }

  /** @returns false if the hash of the text was already added */
  add(text: string): boolean {
    if (this.size >= this.slots.length * MAX_LOAD) this.grow();
    if (!this.insert(HashSet.hash(text))) return false;
    this.size++;
    return true;
  }

  private insert(hash: number): boolean {
    const { slots } = this;
    let slot = hash % slots.length;
    while (slots[slot] !== 0) {
      if (slots[slot] === hash) return false;
      slot = (slot + 1) % slots.length;
    }
    slots[slot] = hash;
    return true;
  }

  private grow(): void {
    const former = this.slots;
    this.slots = new Float64Array(former.length * 2);
    for (const hash of former) if (hash !== 0) this.insert(hash);
  }
}
