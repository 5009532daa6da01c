// A worker whose run was killed must not go on for minutes on its own.
process.once('disconnect', () => process.exit(1))
