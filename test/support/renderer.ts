import sharp from 'sharp';
import type { Api } from './api.js';
import { download, file, form, localUrl, sendForm } from './files.js';

const STAGINGS = '/v1/api/virtual-stagings';

/** A complete renderer. @returns the IDs of the virtual stagings that it completed. */
export async function runRenderer(caller: Api): Promise<string[]> {
  const done: string[] = [];
  for (;;) {
    const { data } = (await caller.post(`${STAGINGS}/claims`, { leaseSeconds: 60 })).body;
    if (!data.staging) return done;
    const { id, sourceFile } = data.staging;
    const claimed = caller.with({ 'X-Claim-Token': data.claimToken });
    await claimed.post(`${STAGINGS}/${id}/heartbeat`, { progress: 50 });
    const source = await download(localUrl(caller, sourceFile.url));
    const staged = await sharp(source.bytes).tint('#ffb060').png().toBuffer();
    await sendForm(claimed, `${STAGINGS}/${id}/variations`, form({ label: 'Warm' }, [file('warm.png', staged)]));
    if ((await claimed.post(`${STAGINGS}/${id}/complete`)).status === 200) done.push(id);
  }
}
