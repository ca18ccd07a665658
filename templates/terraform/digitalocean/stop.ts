/** Hook of the runner: stops droplets that no one knows; they are kept until a person deletes them. */
import { eachDroplet, stopDroplet } from './droplets.ts';

await eachDroplet(stopDroplet);
