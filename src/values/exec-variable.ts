/** The variable by which the processes of an exec are found, wherever they went. */
export const execVariable = 'CAISSON_EXEC';
