/** Hook of the runner: stops servers that no one knows; they are kept until a person deletes them. */
import { eachServer, stop } from './servers.ts';

await eachServer(stop);
