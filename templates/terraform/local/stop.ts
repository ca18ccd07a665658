/** Hook of the runner: stops hosts that no one knows; they are kept until a person deletes them. */
import { eachMachine } from './machines.ts';

eachMachine('hold');
