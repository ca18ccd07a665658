/** Hook of the runner: deletes droplets that no one knows, also those that were stopped. Their volumes stay. */
import { eachDroplet, removeDroplet } from './droplets.ts';

await eachDroplet(removeDroplet);
