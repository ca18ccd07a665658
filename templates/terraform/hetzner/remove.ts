/** Hook of the runner: deletes servers that no one knows, also those that were stopped. Their volumes stay. */
import { eachServer, removeServer } from './servers.ts';

await eachServer(removeServer);
