/** Hook of the runner: removes hosts that no one knows, also those that were stopped. */
import { eachMachine } from './machines.ts';

eachMachine('down');
