/** The entry of the command line in one file, which instances offer at `/downloads/atrium.mjs`. */
import { run } from './main.js';

await run(process.argv);
