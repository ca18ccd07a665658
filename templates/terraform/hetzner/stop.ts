/** Hook of the runner: stops servers that no one knows; they are kept until a person deletes them. */
import { eachServer, stopServer } from './servers.ts';

await eachServer(stopServer);
