package job

import "time"

// Role is what a user may do everywhere. What a plain user may do depends on the
// groups of the account.
type Role string

const (
	// RoleAdmin may do everything.
	RoleAdmin Role = "admin"
	// RoleUser may work with the jobs of the account's groups.
	RoleUser Role = "user"
)

// User is an account.
type User struct {
	ID           int32     `db:"id"`
	Username     string    `db:"username"`
	PasswordHash string    `db:"password_hash"` // argon2id, PHC string
	Role         Role      `db:"role"`
	GroupIDs     []int32   `db:"group_ids"`
	CreatedAt    time.Time `db:"created_at"`
	UpdatedAt    time.Time `db:"updated_at"`
}

// Session is a login to be stored.
type Session struct {
	TokenHash []byte // SHA-256 of the secret that the browser holds
	UserID    int32
	Lifetime  time.Duration // after which it ends, however much it is used
}
