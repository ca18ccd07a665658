/** Hook of the runner: stops droplets that no one knows; they are kept until a person deletes them. */
import { eachDroplet, stop } from './droplets.ts';

await eachDroplet(stop);
