/** Modes of tools, from the mildest on: they decide about what no rule names. */
const toolModes = ['autonomous', 'cautious', 'supervised', 'plan'] as const;

export type ToolMode = (typeof toolModes)[number];

export const stricterMode = (one: ToolMode, other: ToolMode): ToolMode =>
  toolModes.indexOf(one) < toolModes.indexOf(other) ? other : one;
