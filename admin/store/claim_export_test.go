package store

// The batch statements whose plan a test holds, and the lock that claims share.
const (
	PinPlan     = pinPlan
	ClaimRuns   = claimRuns
	RenewLeases = renewLeases
	ReleaseRuns = releaseRuns
	MarkUnknown = markUnknown
	MarkRunning = markRunning
	EndRuns     = endRuns
	CorrectLost = correctLost
	ClaimLock   = claimLock
)
