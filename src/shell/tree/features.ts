/** Which nodes of the grammar say more than words do. */
import type { Feature } from '../types.ts';

export const features: Readonly<Record<string, Feature>> = {
  variable_assignment: 'assignment',
  declaration_command: 'assignment',
  unset_command: 'assignment',
  function_definition: 'function',
  command_substitution: 'substitution',
  process_substitution: 'substitution',
  expansion: 'expansion',
  simple_expansion: 'expansion',
  arithmetic_expansion: 'expansion',
  list: 'list',
  pipeline: 'list',
  if_statement: 'control',
  while_statement: 'control',
  for_statement: 'control',
  c_style_for_statement: 'control',
  case_statement: 'control',
  subshell: 'list',
  compound_statement: 'list',
};
