// Where the tool server answers.
export const toolPath = '/mcp'
